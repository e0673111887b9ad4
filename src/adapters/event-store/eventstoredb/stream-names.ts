import type { EventFilter } from '../../../ports/event-store.port.js';

/**
 * The server's own streams begin with a dollar sign, and a dot ends a namespace. Our categories contain neither of
 * them.
 */
const anyCategory = '[^$.-][^.-]*';
const anyWorkspace = '[^.]+';

/**
 * `<category>-<workspaceId>.<id>` or, with a namespace, `<namespace>.<category>-<workspaceId>.<id>`. Only this adapter
 * sees the namespace.
 */
export class StreamNames {
  private readonly prefix: string;
  private readonly form: RegExp;

  constructor(namespace?: string) {
    this.prefix = namespace === undefined ? '' : `${namespace}.`;
    this.form = new RegExp(this.pattern({}));
  }

  get areSetApart(): boolean {
    return this.prefix !== '';
  }

  onServer(stream: string): string {
    return `${this.prefix}${stream}`;
  }

  ours(name: string): string | undefined {
    return this.form.test(name) ? name.slice(this.prefix.length) : undefined;
  }

  /** The server evaluates the expression in .NET, so it must be valid there too. */
  pattern({ categories, workspaceId }: Omit<EventFilter, 'types'>): string {
    const category = categories === undefined ? anyCategory : `(?:${categories.map(literally).join('|')})`;
    const workspace = workspaceId === undefined ? anyWorkspace : literally(workspaceId);
    return `^${literally(this.prefix)}${category}-${workspace}\\.`;
  }
}

/** Escapes text for regular expressions of .NET as well as of JavaScript. */
export function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');
}
