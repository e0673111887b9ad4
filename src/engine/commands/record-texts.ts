import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import {
  isTextRef,
  mapTexts,
  type ReadText,
  referTo,
  shortestReferred,
  type Text,
  textsAt,
} from '../../kernel/text/text.js';
import { type NewText, Texts, TextsUnavailable } from '../../ports/texts.port.js';

type Kind = Pick<Aggregate<unknown, never>, 'texts'>;

/** A text is stored before the event that refers to it. */
@Injectable()
export class RecordTexts {
  constructor(private readonly texts: Texts) {}

  /**
   * Reads all texts in one request. The returned function is synchronous.
   * @throws TextsUnavailable
   */
  async read(workspaceId: string, texts: readonly (Text | null | undefined)[]): Promise<ReadText> {
    const digests = texts.filter(isTextRef).map(({ digest }) => digest);
    const found = digests.length === 0 ? undefined : await this.texts.get(workspaceId, digests);
    return (text) => {
      if (typeof text === 'string') return text;
      if (!digests.includes(text.digest)) throw new Error(`The text ${text.digest} is used but was not read before.`);
      return found?.get(text.digest) ?? isMissing(text.digest);
    };
  }

  readAll({ texts = [] }: Kind, workspaceId: string, value: unknown): Promise<ReadText> {
    return this.read(workspaceId, textsAt(texts, value));
  }

  /**
   * Replaces references by their texts.
   * @throws TextsUnavailable
   */
  async whole<Value>(kind: Kind, workspaceId: string, value: Value): Promise<Value> {
    const read = await this.readAll(kind, workspaceId, value);
    return mapTexts(kind.texts ?? [], value, read);
  }

  /**
   * Replaces large texts by references. The texts are durable when the promise resolves. Each is compressed against a
   * similar text of `before`, the record before the change, or else against a text to which the event refers.
   * @throws TextsUnavailable
   */
  async recordable<Event extends DomainEvent>(
    { texts: paths = [] }: Kind,
    workspaceId: string,
    events: readonly Event[],
    before: unknown,
  ): Promise<readonly Event[]> {
    const fresh = new Map<string, NewText>();
    const referring = events.map((event): Event => {
      let { data } = event;
      for (const path of paths) {
        const base = resembling(path, paths, before) ?? textsAt(paths, event.data).find(isTextRef)?.digest;
        data = mapTexts([path], data, (text) => {
          if (typeof text !== 'string' || text.length < shortestReferred) return text;
          const reference = referTo(text);
          const { digest } = reference;
          if (!fresh.has(digest)) fresh.set(digest, { digest, text, ...(base === undefined ? {} : { base }) });
          return reference;
        });
      }
      return data === event.data ? event : { ...event, data };
    });
    if (fresh.size > 0) await this.texts.put(workspaceId, [...fresh.values()]);
    return referring;
  }
}

/**
 * Returns the digest of a text of `before` whose field has the same name as the last part of `path`. If there are
 * several, returns the last.
 */
function resembling(path: string, paths: readonly string[], before: unknown): string | undefined {
  const name = path.split('.').at(-1);
  const alike = paths.filter((other) => other.split('.').at(-1) === name);
  return textsAt(alike, before).filter(isTextRef).at(-1)?.digest;
}

function isMissing(digest: string): never {
  throw new TextsUnavailable(
    `The text ${digest} is not in the store of texts; restore that store from the same backup as the log.`,
  );
}
