// What is used of the optional package, so that the code compiles where it is not installed.
declare module 'koffi' {
  interface Library {
    /** A function of the library, by its declaration in C. */
    func(declaration: string): (...values: readonly number[]) => number;
  }

  const koffi: { load(library: string): Library };
  export default koffi;
}
