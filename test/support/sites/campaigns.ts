import { expect } from '@jest/globals';
import type { TestApp } from '../app.js';
import type { SettableClock } from '../clocks/settable-clock.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';

export interface ShownCampaign {
  readonly id: string;
  readonly status: string;
  readonly waitsFor: string | null;
  readonly waitsBecause: string | null;
  readonly isPaused: boolean;
  readonly scheduledAt: string | null;
  readonly stats: Readonly<
    Record<'recipients' | 'sent' | 'failed' | 'suppressed' | 'waiting' | 'unsubscribed', number>
  >;
}

/** A site with users and campaigns. */
export class CampaignSite {
  private constructor(
    private readonly app: TestApp,
    readonly projectId: string,
    private readonly clock: SettableClock | undefined,
  ) {}

  /** @param clock is moved on while the spec waits for a campaign */
  static async of(app: TestApp, clock?: SettableClock): Promise<CampaignSite> {
    const name = `Shop ${Math.random().toString(36).slice(2, 8)}`;
    return new CampaignSite(app, (await done(app, 'site/createProject', { name })).id, clock);
  }

  async call(operation: string, body: object = {}) {
    return await this.app.call(`site/${operation}`, { projectId: this.projectId, ...body });
  }

  async done(operation: string, body: object = {}) {
    return await done(this.app, `site/${operation}`, { projectId: this.projectId, ...body });
  }

  async user(email: string, more: object = {}): Promise<{ readonly id: string }> {
    const name = email.split('@')[0];
    return await this.done('createAppUser', { email, name, password: 'long enough', ...more });
  }

  /** Creates users with the addresses `u0@example.org`, `u1@example.org` and so on. */
  async users(count: number): Promise<readonly string[]> {
    const emails = Array.from({ length: count }, (_, at) => `u${at}@example.org`);
    for (const email of emails) await this.user(email);
    return emails;
  }

  /** Creates a draft, and returns its id. */
  async draft(more: object = {}): Promise<string> {
    const words = { name: 'News', subject: 'News', html: '<p>Hello {{userName}}</p>' };
    return (await this.done('createCampaign', { ...words, ...more })).id;
  }

  async shown(id: string): Promise<ShownCampaign> {
    const all: readonly ShownCampaign[] = await this.done('listCampaigns');
    const found = all.find((one) => one.id === id);
    if (found === undefined) throw new Error(`There is no campaign ${id}.`);
    const { recipients, sent, failed, suppressed, waiting } = found.stats;
    // This must be true at any time, so it is checked whenever a campaign is read.
    expect(sent + failed + suppressed + waiting).toBe(recipients);
    return found;
  }

  until(id: string, holds: (campaign: ShownCampaign) => boolean): Promise<ShownCampaign> {
    const look = () => {
      this.clock?.pass(200);
      return this.shown(id);
    };
    return eventually(look, holds);
  }

  sent(id: string): Promise<ShownCampaign> {
    return this.until(id, ({ status }) => status === 'sent');
  }

  /** Sends a new draft, and returns the campaign once it has ended. */
  async send(more: object = {}): Promise<ShownCampaign> {
    const id = await this.draft(more);
    await this.done('sendCampaign', { id });
    return await this.sent(id);
  }
}
