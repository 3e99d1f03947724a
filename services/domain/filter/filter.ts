export type Scalar = string | number | boolean;
export type Operator = '=' | '!=' | '<=' | '>=' | '<' | '>' | '~';

/** A condition over a version's attributes. A missing key is false, even for `!=`. */
export type Filter =
  | { readonly kind: 'and'; readonly all: readonly Filter[] }
  | { readonly kind: 'or'; readonly any: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'exists'; readonly key: string }
  | {
      readonly kind: 'in';
      readonly key: string;
      readonly values: readonly Scalar[];
      /** Equal byte for byte, not as numbers or dates: what an expanded filter asks for. */
      readonly exact?: true;
    }
  | {
      readonly kind: 'compare';
      readonly key: string;
      readonly operator: Operator;
      readonly operand: Scalar;
    };

/** All of the filters that there are; undefined when there is none. */
export function allOf(...filters: readonly (Filter | undefined)[]): Filter | undefined {
  const all = filters.filter((filter) => filter !== undefined);
  return all.length > 1 ? { kind: 'and', all } : all[0];
}
