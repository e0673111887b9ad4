import type { BuildFailure, Message } from 'esbuild';

/** Written between a package's path and the path of a file in the package. No package name contains this text. */
export const divider = '/:/';

export interface BundlingFault {
  readonly message: string;
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
}

export class BuildFault extends Error {
  readonly fault: BundlingFault;

  constructor(message: string, file?: string, line?: number) {
    super(message);
    this.fault = { message, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
  }
}

/** Undefined if the site did not cause the error. */
export function buildFaultOf(error: unknown): BundlingFault | undefined {
  if (error instanceof BuildFault) return error.fault;
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  return first === undefined ? undefined : faultIn(first);
}

function faultIn({ text, location }: Message): BundlingFault {
  const plain = text.replaceAll(divider, '/').replace(/\b(?:site|package|entry):/g, '');
  const message = sentence(plain.replace(/\s+/g, ' ').slice(0, 500));
  if (location === null) return { message };
  return { message, file: fileOf(location.file), line: location.line };
}

const fileOf = (name: string) => name.replace(/^[a-z]+:/, '').replace(divider, '/');
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
