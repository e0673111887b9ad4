import type { BuildFailure, Message } from 'esbuild';

/**
 * Separator between the path of a package and the path of a file in it, in the bundler's module names. No package name
 * contains it.
 */
export const divider = '/:/';

export interface BundlingFault {
  /** Error message for the author of the site. */
  readonly message: string;
  readonly file?: string;
  /** Line number, from 1. */
  readonly line?: number;
}

/** Thrown if the site cannot be built because of an error in its sources or packages. */
export class BuildFault extends Error {
  readonly fault: BundlingFault;

  constructor(message: string, file?: string, line?: number) {
    super(message);
    this.fault = { message, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
  }
}

/** Returns the fault of the site that caused this error, or undefined if the error has another cause. */
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

/** Returns a file name without the prefix that the bundler's plugins add. */
const fileOf = (name: string) => name.replace(/^[a-z]+:/, '').replace(divider, '/');
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
