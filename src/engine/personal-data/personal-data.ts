import { Injectable } from '@nestjs/common';
import { asSealedValue, erasedText, personalOf, placeOf, sealedText } from '../../kernel/event/personal-data.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { type SealedEntry, Vault } from '../../ports/vault.port.js';
import { Opening } from './opening.js';
import { entryOf, SubjectKeys } from './subject-keys.js';

interface Sealable {
  readonly data: object;
}

/**
 * Personal data is sealed before it is recorded, with a key per record. It is opened only for a decision about the
 * record itself, for output, and for read models that declare `opens`.
 */
@Injectable()
export class PersonalData {
  constructor(
    private readonly keys: SubjectKeys,
    private readonly vault: Vault,
  ) {}

  /**
   * Leaves fields that are already sealed unchanged. If the key was destroyed, the values are replaced by the text for
   * erased values.
   * @throws VaultUnavailable
   */
  async sealed<Event extends Sealable>(stream: string, events: readonly Event[]): Promise<readonly Event[]> {
    const personal = personalOf(stream);
    if (personal === undefined) return events;
    const { of, fields } = personal;
    const sealing: Event[] = [];
    for (const event of events) {
      const data: Record<string, unknown> = { ...event.data };
      const clear = fields.filter((field) => Object.hasOwn(data, field) && !isSealedFor(of, field, data[field]));
      if (clear.length === 0) {
        sealing.push(event);
        continue;
      }
      const cipher = await this.keys.create(of);
      for (const field of clear) {
        const { category, id } = of;
        const place = placeOf(of.workspaceId, { category, id, field });
        const sealed = cipher?.seal(place, data[field]);
        data[field] =
          sealed === undefined ? erasedText({ category, field }) : sealedText({ category, id, field, sealed });
      }
      sealing.push({ ...event, data });
    }
    return sealing;
  }

  /** @throws VaultUnavailable */
  async prepare(streams: readonly string[]): Promise<void> {
    await Promise.all(streams.map((stream) => this.keys.create(parseStream(stream))));
  }

  /**
   * Opens only data of this workspace. Values whose key no longer exists are replaced by the text for erased values.
   * Returns the value itself if it contains nothing sealed.
   * @throws VaultUnavailable
   */
  async opened<Value>(workspaceId: string, value: Value): Promise<Value> {
    const answer = new Opening(workspaceId, this.keys);
    const opened = answer.opened(value);
    if (!answer.lacksKeys) return opened as Value;
    await answer.findKeys();
    return answer.opened(value) as Value;
  }

  async openedRefusal(workspaceId: string, refusal: Refusal): Promise<Refusal> {
    const { message, facts } = refusal;
    const [sentence, openedFacts] = await this.opened(workspaceId, [message, facts] as const);
    return sentence === message && openedFacts === facts ? refusal : refusal.with(openedFacts, sentence);
  }

  /**
   * Returns keys by record id, so that other threads can open the values. The keys are still encrypted with the master
   * key.
   * @throws VaultUnavailable
   */
  async sealedKeys(
    workspaceId: string,
    category: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, SealedEntry>> {
    const idOf = new Map(ids.map((id) => [entryOf({ workspaceId, category, id }), id]));
    const found = await this.vault.readSealed([...idOf.keys()]);
    return new Map(found.map((entry) => [idOf.get(entry.name) ?? '', entry]));
  }

  /**
   * Returns a keyed digest by which records can be looked up without revealing the value. Only this installation can
   * compute it.
   */
  keyed(workspaceId: string, kind: string, text: string): string {
    return this.vault.derive(keyedText(workspaceId, kind, text));
  }

  /** Makes all copies of the record's sealed values unreadable. */
  erase(stream: string): Promise<void> {
    return this.keys.destroy(parseStream(stream));
  }
}

export const keyedText = (workspaceId: string, kind: string, text: string): string =>
  `personal/${workspaceId}/${kind}/${text}`;

/** Text that only looks sealed, or was sealed for another record, is sealed like any other value. */
function isSealedFor(of: { readonly category: string; readonly id: string }, field: string, value: unknown): boolean {
  const sealed = asSealedValue(value);
  return sealed !== undefined && sealed.category === of.category && sealed.id === of.id && sealed.field === field;
}
