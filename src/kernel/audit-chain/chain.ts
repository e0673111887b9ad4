import { hash } from 'node:crypto';
import type { RecordedEvent } from '../event/event.js';
import { canonicalJson } from '../json/canonical-json.js';

/**
 * The digest of an event is the SHA-256 of its canonical JSON. The next head is the SHA-256 of the previous head
 * followed by the digest, both as hex text. A head therefore covers every event before it, and the digests alone are
 * enough to verify the chain. Positions are not covered, because they are specific to a log and the chain must survive
 * a move to another store.
 */
export type ChainedEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata'>;

/** Number of events up to this point of the chain, and the head after the last of these events. */
export interface ChainPlace {
  readonly count: number;
  readonly head: string;
}

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** The start differs for each workspace, so that the chain cannot be passed off as that of another workspace. */
export const beginningOf = (workspaceId: string): ChainPlace => ({
  count: 0,
  head: sha256(`countersign-audit-1 ${workspaceId}`),
});

/** @throws RangeError for data that nests deeper than the stack allows, which this service never records */
export const chainedText = ({ stream, revision, id, type, data, metadata }: ChainedEvent): string =>
  canonicalJson({ data, id, metadata, revision, stream, type });

export const digestOfText = (text: string): string => sha256(text);
export const digestOf = (event: ChainedEvent): string => digestOfText(chainedText(event));

export const following = ({ count, head }: ChainPlace, digest: string): ChainPlace => ({
  count: count + 1,
  head: sha256(head + digest),
});

export const followingAll = (place: ChainPlace, digests: readonly string[]): ChainPlace =>
  digests.reduce(following, place);
