import { Injectable } from '@nestjs/common';
import {
  asSealedValue,
  erasedText,
  mayHoldSealed,
  personalOf,
  type SealedValue,
  sealedText,
  sealedValuesIn,
  withOpened,
} from '../../kernel/personal-data.js';
import { Refusal } from '../../kernel/refusal.js';
import { parseStream } from '../../kernel/stream-name.js';
import { Vault } from '../../ports/vault.port.js';
import type { SubjectCipher } from './subject-cipher.js';
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

  /**
   * A copy of the value with everything sealed in it opened, or, where the key is gone, replaced by the text for erased
   * values. Only what belongs to this workspace is opened. @throws VaultUnavailable
   */
  async opened<Value>(workspaceId: string, value: Value): Promise<Value> {
    const found = new Map<string, SealedValue>();
    collect(value, found);
    if (found.size === 0) return value;
    const ciphers = new Map<string, SubjectCipher | undefined>();
    const missing: Promise<unknown>[] = [];
    for (const [name, { category, id }] of found) {
      const subject = { workspaceId, category, id };
      const cipher = this.keys.held(subject);
      if (cipher === undefined) missing.push(this.keys.find(subject).then((one) => ciphers.set(name, one)));
      else ciphers.set(name, cipher);
    }
    await Promise.all(missing);
    const open = (sealed: SealedValue): unknown => {
      const cipher = ciphers.get(subjectOf(sealed));
      if (cipher === undefined) return erasedText(sealed);
      const opened = cipher.open(placeOf(workspaceId, sealed), sealed.sealed);
      return opened === undefined ? sealedText(sealed) : opened.value;
    };
    return replaced(value, open) as Value;
  }

  /** A refusal as its receiver may read it. */
  async openedRefusal(workspaceId: string, refusal: Refusal): Promise<Refusal> {
    const { code, message, facts } = refusal;
    const [sentence, told] = await this.opened(workspaceId, [message, facts] as const);
    return sentence === message && told === facts ? refusal : new Refusal(code, sentence, told);
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

const subjectOf = ({ category, id }: Pick<SealedValue, 'category' | 'id'>) => `${category}/${id}`;
const placeOf = (workspaceId: string, { category, id, field }: Omit<SealedValue, 'sealed'>) =>
  `${workspaceId}/${category}/${id}/${field}`;

/** What only looks sealed, or is another's, is a value like any other and is sealed as it is. */
function isSealedFor(of: { readonly category: string; readonly id: string }, field: string, value: unknown): boolean {
  const sealed = asSealedValue(value);
  return sealed !== undefined && sealed.category === of.category && sealed.id === of.id && sealed.field === field;
}

function collect(value: unknown, found: Map<string, SealedValue>): void {
  if (typeof value === 'string') {
    for (const sealed of sealedValuesIn(value)) found.set(subjectOf(sealed), sealed);
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, found);
  } else if (isRecord(value)) {
    for (const one of Object.values(value)) collect(one, found);
  }
}

function replaced(value: unknown, open: (sealed: SealedValue) => unknown): unknown {
  if (typeof value === 'string') return mayHoldSealed(value) ? withOpened(value, open) : value;
  if (Array.isArray(value)) {
    const items = value.map((one) => replaced(one, open));
    return items.some((one, at) => one !== value[at]) ? items : value;
  }
  if (!isRecord(value)) return value;
  // Copied only where something in it is sealed: other objects may be more than their entries.
  const changed = Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
    const after = replaced(one, open);
    return after === one ? [] : [[key, after]];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
