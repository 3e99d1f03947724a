/** A dead letter, by where its message stood when it failed; the time tells topics of the same name apart. */
export interface LetterKey {
  /** `<topic>.<processor>:<partition>:<offset>`. */
  readonly id: string;
  /** When the message was published, epoch ms. */
  readonly publishedAt: number;
}

/** What an operator did with a letter; `replaying`: somebody is at it, or was and died. */
export type LetterState = 'replaying' | 'replayed' | 'dropped';

export interface LetterMark {
  readonly state: LetterState;
  /** What a replay became, if callers can ask for it. */
  readonly operation: string | null;
  readonly at: Date;
}

/**
 * The bus keeps dead letters as they are; which of them are dealt with stands here. Marks outlive the letters: a bus
 * that still holds one must not show it again.
 */
export interface HandledLetters {
  /** The marks of those that have one, by id. */
  letterMarks(letters: readonly LetterKey[]): Promise<ReadonlyMap<string, LetterMark>>;
  /** Takes a letter on until the lease ends; false if it is dealt with, or somebody else has it. */
  claimLetter(letter: LetterKey, leaseMs: number): Promise<boolean>;
  /** Says what became of a letter. One that was replayed or dropped before stays so. */
  markLetter(letter: LetterKey, state: 'replayed' | 'dropped', operation: string | null): Promise<void>;
}
