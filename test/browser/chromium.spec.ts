import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { chromiumFor } from '../support/sites/browser.js';
import { secondTierOf } from '../tiers/tiers.js';

describe('the browser of the specs', () => {
  it("is Debian's, or the one that CHROMIUM names", () => {
    expect(chromiumFor({}, () => true)).toEqual({ path: '/usr/bin/chromium' });
    expect(chromiumFor({ CHROMIUM: '/opt/chrome', CI: 'true' }, () => true)).toEqual({ path: '/opt/chrome' });
  });

  it('may be missing on a local machine, but fails the specs in CI', () => {
    expect(chromiumFor({}, () => false).missing).toBe('is skipped');
    expect(chromiumFor({ CI: 'true' }, () => false).missing).toBe('fails');
  });

  it.each(['approval-pages', 'site'])('is used in every run of the tests (%s)', (name) => {
    const spec = `test/browser/${name}.browser.spec.ts`;
    expect(secondTierOf('.', [spec])).toEqual([]);
  });

  it('is installed by .ci/run, which sets CI', () => {
    const run = readFileSync('.ci/run', 'utf8');
    expect(run).toMatch(/^export CI=true$/m);
    expect(run).toMatch(/install_missing git chromium/);
    expect(run).toMatch(/apt-get update/);
  });
});
