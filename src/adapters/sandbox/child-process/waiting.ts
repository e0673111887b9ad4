import type { SandboxJob, SandboxOutcome } from '../../../ports/sandbox.port.js';
import type { Queued } from '../../turns/fair-queue.js';

/** A run that has been asked for. */
export interface Waiting extends Queued {
  readonly job: SandboxJob;
  /** It was given to a process that had died unnoticed; that is forgiven once. */
  readonly again: boolean;
  resolve(outcome: SandboxOutcome): void;
  reject(error: Error): void;
}

/** The queue is fair between workspaces, and a key begins with its workspace. */
export function workspaceOf(isolateKey: string): string {
  const end = isolateKey.indexOf('/');
  return end < 0 ? isolateKey : isolateKey.slice(0, end);
}
