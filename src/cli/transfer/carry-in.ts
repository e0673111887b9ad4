import type { Vault } from '../../ports/vault.port.js';
import type { CarriedStores } from './carried-stores.js';
import { EventCarrier } from './event-carrier.js';
import type { LogFile } from './log-file.js';
import { type EntryLine, sealedBlob, sealedEntry, storedText } from './log-line.js';
import { placePruned } from './pruned-streams.js';
import { alreadyThere, digestOfEvents } from './target-log.js';

/** A batch is complete when it reaches one of these limits. */
const batch = { entries: 50, characters: 8_000_000 };

/**
 * Returns the number of new events. An interrupted import can be repeated.
 * @throws Error before anything is written if the log has other events in the file's streams; during the import if
 * another process writes to these streams; after the import if the events differ from the file
 */
export async function carryIn(file: LogFile, { events: store, vault, blobs, texts }: CarriedStores): Promise<number> {
  const existing = await alreadyThere(file, store);
  // As in the service, everything to which an event refers is stored before the event.
  await putEntries(file, vault);
  for await (const line of file.blobs()) await blobs.putSealed(sealedBlob(line));
  // In the file, a compressed text comes after its `base`, the text to which it refers, so the base is already stored.
  for await (const line of file.texts()) await texts.putStored(storedText(line));
  await placePruned(file, store, existing.keptFrom);
  const recorded = await new EventCarrier(store).carry(file, existing.events);
  const digest = await digestOfEvents(file, store);
  if (digest === file.end.eventsDigest) return recorded;
  throw new Error(
    `The events now in the log are not those of the file: their digest is ${digest}, not ${file.end.eventsDigest}.`,
  );
}

async function putEntries(file: LogFile, vault: Vault): Promise<void> {
  let waiting: EntryLine[] = [];
  let characters = 0;
  const put = async () => {
    await Promise.all(waiting.map((line) => vault.putSealed(sealedEntry(line))));
    waiting = [];
    characters = 0;
  };
  for await (const line of file.entries()) {
    waiting.push(line);
    characters += line.sealedValue.length;
    if (waiting.length >= batch.entries || characters >= batch.characters) await put();
  }
  await put();
}
