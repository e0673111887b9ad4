import type { EventFilter } from '../../../ports/event-store.port.js';

/** The server's own streams begin with a dollar, and a dot ends a namespace; no category of ours has either. */
const anyCategory = '[^$.-][^.-]*';
const anyWorkspace = '[^.]+';

/**
 * What our streams are called on a server that others may use too: `<category>-<workspaceId>.<id>` or, with a namespace,
 * `<namespace>.<category>-<workspaceId>.<id>`. Outside the adapter, nobody knows of the namespace.
 */
export class StreamNames {
  private readonly prefix: string;
  private readonly form: RegExp;

  constructor(namespace?: string) {
    this.prefix = namespace === undefined ? '' : `${namespace}.`;
    this.form = new RegExp(this.pattern({}));
  }

  /** Whether our events are told from those of others by the beginning of their stream's name. */
  get areSetApart(): boolean {
    return this.prefix !== '';
  }

  onServer(stream: string): string {
    return `${this.prefix}${stream}`;
  }

  /** Our name of a stream of the server; undefined when it is not ours. */
  ours(name: string): string | undefined {
    return this.form.test(name) ? name.slice(this.prefix.length) : undefined;
  }

  /** A regular expression for the server's names of our streams; understood by .NET as well. */
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
