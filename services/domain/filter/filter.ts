/** A condition over a version's attributes. A missing key is false, even for `!=`. */
export type Filter =
  | { readonly kind: 'and'; readonly all: readonly Filter[] }
  | { readonly kind: 'or'; readonly any: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'exists'; readonly key: string }
  | { readonly kind: 'in'; readonly key: string; readonly values: readonly (string | number | boolean)[] }
  | {
      readonly kind: 'compare';
      readonly key: string;
      readonly operator: '=' | '!=' | '<=' | '>=' | '<' | '>' | '~';
      readonly operand: string | number | boolean;
    };
