// What is used of the optional package, so that the code compiles where it is not installed.
declare module '@huggingface/transformers' {
  interface Tensor {
    readonly dims: readonly number[];
    readonly type: string;
    readonly data: unknown;
    to(type: 'float32'): Tensor;
  }

  interface PretrainedOptions {
    readonly revision: string;
    readonly local_files_only: boolean;
  }

  interface ModelOptions extends PretrainedOptions {
    readonly device: 'cpu';
    /** Only chooses the suffix of the file's name; none for fp32. */
    readonly dtype: 'fp32';
    readonly subfolder: string;
    readonly model_file_name: string;
    readonly use_external_data_format?: boolean;
    readonly session_options: { readonly intraOpNumThreads: number; readonly interOpNumThreads: number };
  }

  interface Tokenizer {
    (text: string, options: { readonly truncation: false; readonly padding: false }): object;
    /** Token ids, those that begin and end every text among them. */
    encode(text: string): readonly number[];
    readonly model_max_length?: number;
  }

  interface Model {
    (inputs: object): Promise<Readonly<Record<string, Tensor>>>;
    readonly config: { readonly max_position_embeddings?: number };
  }

  export const env: {
    allowRemoteModels: boolean;
    cacheDir: string;
    localModelPath: string;
    logLevel: number;
  };
  export const AutoTokenizer: { from_pretrained(model: string, options: PretrainedOptions): Promise<Tokenizer> };
  export const AutoModel: { from_pretrained(model: string, options: ModelOptions): Promise<Model> };
}
