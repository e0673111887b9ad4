import { describe, expect, it } from '@jest/globals';
import { PersonSources } from './person-sources.api.js';

const entitlement = { key: 'member', state: 'granted', expiresAt: null, graceUntil: null } as const;

describe('what is known of a user of a site', () => {
  it('is nothing without a source', async () => {
    const sources = new PersonSources();
    expect(await sources.existingRoles('ws', 'proj', ['role_1'])).toEqual([]);
    expect(await sources.entitlementsOf('ws', 'usr_1')).toEqual([]);
  });

  it('is what each source says: roles that exist, in the order they were given, and entitlements', async () => {
    const sources = new PersonSources();
    sources.register({ existingRoles: async () => ['role_3', 'role_1'] });
    sources.register({ entitlementsOf: async (_, userId) => (userId === 'usr_1' ? [entitlement] : []) });
    expect(await sources.existingRoles('ws', 'proj', ['role_1', 'role_2', 'role_3'])).toEqual(['role_1', 'role_3']);
    expect(await sources.entitlementsOf('ws', 'usr_1')).toEqual([entitlement]);
    expect(await sources.entitlementsOf('ws', 'usr_2')).toEqual([]);
  });

  it('is unknown when a source cannot tell: nobody is judged by half of it', async () => {
    const sources = new PersonSources();
    sources.register({ entitlementsOf: () => Promise.reject(new Error('away')) });
    await expect(sources.entitlementsOf('ws', 'usr_1')).rejects.toThrow('away');
  });
});
