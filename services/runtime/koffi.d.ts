// What is used of the optional package, so that the code compiles where it is not installed.
declare module 'koffi' {
  interface ForeignFunction {
    (...values: readonly number[]): number;
    /** Runs it in a thread. */
    async(value: number, done: (error: unknown, result: number) => void): void;
  }

  interface Library {
    /** A function of the library, by its declaration in C. */
    func(declaration: string): ForeignFunction;
  }

  const koffi: { load(library: string): Library };
  export default koffi;
}
