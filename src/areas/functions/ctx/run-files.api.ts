import { Injectable, type Type } from '@nestjs/common';
import type { Starter } from '../../../kernel/callers/starter.js';
import type { RunRequest } from '../run/run-request.api.js';

export interface RunFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

interface RunFileSource {
  /** Returns undefined if the run has no such file, or if the file has been deleted. */
  open(request: RunRequest, fileId: string): Promise<RunFile | undefined>;
}

/** Triggers whose runs have files, such as webhooks, register a source of files for their kind of starter. */
@Injectable()
export class RunFiles implements RunFileSource {
  private readonly sources = new Map<Starter['kind'], RunFileSource>();

  register(kind: Starter['kind'], source: RunFileSource): void {
    this.sources.set(kind, source);
  }

  async open(request: RunRequest, fileId: string): Promise<RunFile | undefined> {
    return this.sources.get(request.starter.kind)?.open(request, fileId);
  }
}

export const providesRunFiles = (kind: Starter['kind'], source: Type<RunFileSource>) => ({
  provide: Symbol(`Files of runs: ${kind}`),
  inject: [RunFiles, source],
  useFactory: (files: RunFiles, one: RunFileSource) => files.register(kind, one),
});
