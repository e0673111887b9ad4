import type { BuildFailure, Message } from 'esbuild';

export interface Fault {
  /** A sentence for the author. */
  readonly message: string;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
}

/** The site cannot be built as it is. */
export class BuildFault extends Error {
  readonly fault: Fault;

  constructor(message: string, file?: string, line?: number) {
    super(message);
    this.fault = { message, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
  }
}

/** What the bundler refuses is the site's fault; undefined for any other error. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof BuildFault) return error.fault;
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  return first === undefined ? undefined : faultIn(first);
}

function faultIn({ text, location }: Message): Fault {
  const message = sentence(text.replace(/\s+/g, ' ').slice(0, 500));
  if (location === null) return { message };
  return { message, file: location.file.replace(/^[a-z]+:/, ''), line: location.line };
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
