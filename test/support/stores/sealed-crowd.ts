import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import type { Environment } from '../../../src/config/environment.js';
import { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import { SubjectKeys } from '../../../src/engine/personal-data/subject-keys.js';
import { declarePersonal, erasedText } from '../../../src/kernel/event/personal-data.js';
import type { StoredPerson } from '../../../src/kernel/judging/person-facts.js';
import type { PeopleRequest, PersonalField, SealedPerson } from '../../../src/ports/offloaded/sealed-people.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';

const category = 'crowdGuest';
const workspaceId = 'ws_1';
const fields: readonly PersonalField[] = ['email', 'name', 'customFields'];
declarePersonal(category, { email: 'erased', name: 'A former guest', customFields: null });

export interface Guest extends StoredPerson, Pick<SealedPerson, 'roleIds' | 'entitlements'> {}

export const guest = (id: string, more: Partial<Guest> = {}): Guest => ({
  id,
  email: `${id}@example.com`,
  name: id,
  customFields: {},
  emailVerifiedAt: '2026-01-01T00:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  roleIds: [],
  entitlements: [],
  ...more,
});

/** People whose personal fields are sealed with keys in a vault, as documents contain them. */
export class SealedCrowd {
  private readonly directory = new EmbeddedDirectory();
  readonly masterKey = Buffer.alloc(32, 7);
  readonly vault: EmbeddedVault;
  readonly personal: PersonalData;

  constructor() {
    const clock = { now: () => 0 } as never;
    this.vault = new EmbeddedVault({ directory: this.directory.path, masterKey: this.masterKey, clock });
    const keys = new SubjectKeys(this.vault, clock, { shared: false } as Environment);
    this.personal = new PersonalData(keys, this.vault);
  }

  async sealed(guests: readonly Guest[]): Promise<readonly Guest[]> {
    const stream = ({ id }: Guest) => `${category}-${workspaceId}.${id}`;
    await this.personal.prepare(guests.map(stream));
    const events = guests.map((one) => this.personal.sealed(stream(one), [{ data: one }]));
    return (await Promise.all(events)).map(([event], at) => (event?.data ?? guests[at]) as Guest);
  }

  /** Returns the request that an audience makes. */
  async request(sealed: readonly Guest[], opens = fields): Promise<PeopleRequest> {
    const keys = await this.personal.sealedKeys(
      workspaceId,
      category,
      sealed.map(({ id }) => id),
    );
    const people = sealed.map(({ id, emailVerifiedAt, createdAt, roleIds, entitlements, ...one }) => ({
      ...{ id, emailVerifiedAt, createdAt, roleIds, entitlements },
      sealed: Object.fromEntries(opens.map((field) => [field, one[field]])),
      key: keys.get(id),
    }));
    const erased = Object.fromEntries(opens.map((field) => [field, erasedText({ category, field })]));
    return { workspaceId, people, erased, now: 0 };
  }

  opened(sealed: readonly Guest[]): Promise<readonly Guest[]> {
    return this.personal.opened(workspaceId, sealed);
  }

  erase(id: string): Promise<void> {
    return this.personal.erase(`${category}-${workspaceId}.${id}`);
  }

  async close(): Promise<void> {
    await this.vault.close();
    this.directory.remove();
  }
}
