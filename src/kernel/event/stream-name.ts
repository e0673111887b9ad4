/**
 * Written as `<category>-<workspaceId>.<id>`. An id of another workspace therefore leads to an empty stream, and to the
 * same "not found" as an id that never existed.
 */
export interface StreamName {
  readonly category: string;
  readonly workspaceId: string;
  readonly id: string;
}

export function streamOf(category: string, workspaceId: string, id: string): string {
  return `${category}-${workspaceId}.${id}`;
}

export function parseStream(stream: string): StreamName {
  const dash = stream.indexOf('-');
  const dot = stream.indexOf('.', dash);
  if (dash < 1 || dot < dash) throw new Error(`'${stream}' is not a stream name of the form category-workspace.id`);
  return { category: stream.slice(0, dash), workspaceId: stream.slice(dash + 1, dot), id: stream.slice(dot + 1) };
}
