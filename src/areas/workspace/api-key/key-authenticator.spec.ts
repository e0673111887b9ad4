import { describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { ReadModelChanges } from '../../../engine/projections/read-model-changes.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyUse } from './key-use.js';

function having<Whole extends object>(kind: abstract new (...given: never[]) => Whole, part: Partial<Whole>): Whole {
  return Object.assign(Object.create(kind.prototype), part);
}

function scene() {
  const clock = new MadeUpClock();
  const news = new ReadModelChanges();
  const key = { id: 'key_1', name: 'Robot', kind: 'service', workspaceId: 'ws_1', memberId: null, makers: [] };
  const standing = { ...key, readOnly: false, neverDeletes: false, expiresAt: null, revokedAt: null };
  const store = { keys: [standing as object] };
  const keys = new KeyAuthenticator(
    having(ReadStore, { find: async () => store.keys as never, count: async () => 0 }),
    having(Vault, { derive: (text) => text }),
    clock,
    having(KeyUse, { seen: () => undefined }),
    having(ReadYourWrites, { recorded: () => 0, isCurrent: () => true }),
    news,
  );
  const revokeElsewhere = () => {
    store.keys = [{ ...standing, revokedAt: '2026-01-01T00:00:00Z' }];
  };
  const works = async () => (await keys.callerOf('csk_robot')) !== undefined;
  return { clock, news, works, revokeElsewhere };
}

describe('a key that was revoked through another process', () => {
  it('works for at most half a second more', async () => {
    const { clock, works, revokeElsewhere } = scene();
    expect(await works()).toBe(true);
    revokeElsewhere();
    clock.advance(499);
    expect(await works()).toBe(true);
    clock.advance(1);
    expect(await works()).toBe(false);
  });

  it('does not work longer because it is used constantly', async () => {
    const { clock, works, revokeElsewhere } = scene();
    expect(await works()).toBe(true);
    revokeElsewhere();
    for (let ms = 0; ms < 500; ms += 100) {
      expect(await works()).toBe(true);
      clock.advance(100);
    }
    expect(await works()).toBe(false);
  });

  it('no longer works when the read model shows it', async () => {
    const { news, works, revokeElsewhere } = scene();
    expect(await works()).toBe(true);
    revokeElsewhere();
    news.changed('apiKeys');
    expect(await works()).toBe(false);
  });
});
