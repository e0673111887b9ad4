import { revisionPruned } from '../../kernel/event/pruned-revision.js';
import type { EventStore } from '../../ports/event-store.port.js';
import { workspaceOfEntry } from '../../ports/vault.port.js';
import type { CarriedStores } from './carried-stores.js';
import { LogFileWriter } from './log-file-writer.js';
import { blobLine, type EndLine, entryLine, headerLine, logEventLine, prunedLine, textLine } from './log-line.js';

export interface ExportScope {
  /** `null` exports all workspaces. */
  readonly workspaceId: string | null;
  readonly keyCheck: string;
  readonly exportedAt: string;
}

/**
 * Reads the events first, then the other stores. Everything to which an event refers was stored before the event, so it
 * is found there.
 */
export async function carryOut(path: string, from: CarriedStores, scope: ExportScope): Promise<EndLine> {
  const writer = await LogFileWriter.create(path);
  try {
    await writeLog(writer, from.events, scope);
    for await (const entry of from.vault.sealedEntries()) {
      if (isIncluded(entry.name, scope.workspaceId)) await writer.write(entryLine(entry));
    }
    for await (const blob of from.blobs.sealedBlobs()) {
      if (isIncluded(blob.name, scope.workspaceId)) await writer.write(blobLine(blob));
    }
    for await (const text of from.texts.storedTexts(scope.workspaceId ?? undefined)) {
      await writer.write(textLine(text));
    }
    return await writer.finish();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function writeLog(writer: LogFileWriter, store: EventStore, scope: ExportScope): Promise<void> {
  const { workspaceId } = scope;
  const snapshot = await store.snapshot(workspaceId ?? undefined);
  try {
    await writer.write(headerLine({ ...scope, upTo: snapshot.head }));
    for (const [stream, keptFrom] of snapshot.keptFrom) {
      // The revision is not a safe integer if the stream was deleted with EventStoreDB's own means. Such a stream has
      // no remaining events and cannot be imported.
      if (Number.isSafeInteger(keptFrom)) await writer.write(prunedLine(stream, keptFrom));
    }
    let isEmpty = true;
    for await (const event of snapshot.events()) {
      if (event.type === revisionPruned) {
        throw new Error(`Stream ${event.stream} was not imported completely: repeat that import first.`);
      }
      isEmpty = false;
      await writer.write(logEventLine(event));
    }
    if (isEmpty && workspaceId !== null) throw new Error(`This log has no events of a workspace ${workspaceId}.`);
  } finally {
    await snapshot.close();
  }
}

/** Entries and blobs that belong to no workspace are included only if all workspaces are exported. */
function isIncluded(name: string, workspaceId: string | null): boolean {
  return workspaceId === null || workspaceOfEntry(name) === workspaceId;
}
