import type { BuildFailure, Message } from 'esbuild';

/** Separates a package's path from a file of it in the bundler's module names. No package name contains it. */
export const divider = '/:/';

export interface BundlingFault {
  /** Error message for the author. */
  readonly message: string;
  readonly file?: string;
  /** Line number, from 1. */
  readonly line?: number;
}

/** The site cannot be built as it is. */
export class BuildFault extends Error {
  readonly fault: BundlingFault;

  constructor(message: string, file?: string, line?: number) {
    super(message);
    this.fault = { message, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
  }
}

/** Returns the site's fault if the bundler refused something, or undefined for other errors. */
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

/** Returns the file's name without the bundler's prefix. */
const fileOf = (name: string) => name.replace(/^[a-z]+:/, '').replace(divider, '/');
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
