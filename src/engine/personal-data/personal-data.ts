import { Injectable } from '@nestjs/common';
import { asSealedValue, erasedText, personalOf, sealedText } from '../../kernel/event/personal-data.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Vault } from '../../ports/vault.port.js';
import { Opening, placeOf } from './opening.js';
import { SubjectKeys } from './subject-keys.js';

/** The parts of an event that sealing needs. */
interface Sealable {
  readonly data: object;
}

/**
 * Personal data is sealed when it is recorded, and stays sealed inside: in the log, in states, in documents, in messages
 * and in everything that is made of them. It is opened in two places only: where a decision is made about the record
 * itself, and where something goes out to somebody: an answer, a refusal, a page, code, an agent's model.
 */
@Injectable()
export class PersonalData {
  constructor(
    private readonly keys: SubjectKeys,
    private readonly vault: Vault,
  ) {}

  /**
   * The events with the personal fields of their stream's record sealed. Sealing again changes nothing. Once the key is
   * destroyed, the text for erased values stands there instead. @throws VaultUnavailable
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
      const cipher = await this.keys.make(of);
      for (const field of clear) {
        const { category, id } = of;
        const place = placeOf(of.workspaceId, { category, id, field });
        const sealed = cipher?.seal(place, data[field]);
        data[field] =
          sealed === undefined
            ? erasedText({ category, id, field, sealed: '' })
            : sealedText({ category, id, field, sealed });
      }
      sealing.push({ ...event, data });
    }
    return sealing;
  }

  /** Makes the keys of records that are yet to be, together. @throws VaultUnavailable */
  async prepare(streams: readonly string[]): Promise<void> {
    await Promise.all(streams.map((stream) => this.keys.make(parseStream(stream))));
  }

  /**
   * A copy of the value with everything sealed in it opened, or, where the key is gone, replaced by the text for erased
   * values. Only what belongs to this workspace is opened. @throws VaultUnavailable
   */
  async opened<Value>(workspaceId: string, value: Value): Promise<Value> {
    const answer = new Opening(workspaceId, this.keys);
    const opened = answer.of(value);
    if (!answer.lacksKeys) return opened as Value;
    await answer.findKeys();
    return answer.of(value) as Value;
  }

  /** A refusal as its receiver may read it. */
  async openedRefusal(workspaceId: string, refusal: Refusal): Promise<Refusal> {
    const { message, facts } = refusal;
    const [sentence, told] = await this.opened(workspaceId, [message, facts] as const);
    return sentence === message && told === facts ? refusal : refusal.with(told, sentence);
  }

  /** A name for something personal that only this installation can compute, for looking it up. */
  keyed(workspaceId: string, kind: string, text: string): string {
    return this.vault.derive(`personal/${workspaceId}/${kind}/${text}`);
  }

  /** Destroys the key of the record of this stream, and with it every copy of what is sealed under it. */
  erase(stream: string): Promise<void> {
    return this.keys.destroy(parseStream(stream));
  }
}

/** What only looks sealed, or is another's, is a value like any other and is sealed as it is. */
function isSealedFor(of: { readonly category: string; readonly id: string }, field: string, value: unknown): boolean {
  const sealed = asSealedValue(value);
  return sealed !== undefined && sealed.category === of.category && sealed.id === of.id && sealed.field === field;
}
