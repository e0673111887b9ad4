export interface Console {
  out(line: string): void;
  error(line: string): void;
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command gets: its flags, its bare words, and the environment it runs in. */
export interface Invocation {
  readonly flags: Values;
  readonly words: readonly string[];
  readonly environment: Environment;
  readonly console: Console;
}
