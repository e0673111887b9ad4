import type { EventFilter } from '../../../ports/event-store.port.js';

/** The server's own streams begin with a dollar, and a dot ends a namespace; our categories contain neither. */
const anyCategory = '[^$.-][^.-]*';
const anyWorkspace = '[^.]+';

/**
 * Names of our streams on a server that other applications may use: `<category>-<workspaceId>.<id>` or, with a
 * namespace, `<namespace>.<category>-<workspaceId>.<id>`. The namespace is known only within this adapter.
 */
export class StreamNames {
  private readonly prefix: string;
  private readonly form: RegExp;

  constructor(namespace?: string) {
    this.prefix = namespace === undefined ? '' : `${namespace}.`;
    this.form = new RegExp(this.pattern({}));
  }

  /** Whether the prefix of a stream's name tells our events from others. */
  get areSetApart(): boolean {
    return this.prefix !== '';
  }

  onServer(stream: string): string {
    return `${this.prefix}${stream}`;
  }

  /** Our name for a server stream; undefined: not ours. */
  ours(name: string): string | undefined {
    return this.form.test(name) ? name.slice(this.prefix.length) : undefined;
  }

  /** A regular expression for the server's names of our streams, valid in .NET too. */
  pattern({ categories, workspaceId }: Omit<EventFilter, 'types'>): string {
    const category = categories === undefined ? anyCategory : `(?:${categories.map(literally).join('|')})`;
    const workspace = workspaceId === undefined ? anyWorkspace : literally(workspaceId);
    return `^${literally(this.prefix)}${category}-${workspace}\\.`;
  }
}

/** Escapes text for .NET's regular expressions as well as ours. */
export function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');
}
