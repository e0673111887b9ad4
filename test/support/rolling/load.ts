import { takes } from '../clocks/delays.js';
import { mailOf } from '../mail/mails.js';
import { deliver } from '../mail/smtp-client.js';
import { ownerKey } from '../service-process.js';
import type { Fleet } from './fleet.js';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

/** Sends calls, runs, changes and mails continuously, and records what was acknowledged. */
export class Load {
  readonly accepted = new Set<string>();
  readonly mails = new Set<string>();
  /** By function id, the last description that was acknowledged. */
  readonly descriptions = new Map<string, string>();
  private functionId = '';
  private webhook = '';
  private mailhook = { id: '', address: '' };
  private going = true;
  private done: Promise<unknown> = Promise.resolve();
  private made = 0;

  constructor(private readonly fleet: Fleet) {}

  /** Resolves when a function runs and a mailhook receives mail. */
  async begin(): Promise<void> {
    await this.right('workspace/updateSettings', { runsTab: true, versions: false });
    this.functionId = (await this.functionMade('runs')).id;
    const { token } = await this.right('automations/createWebhook', { functionId: this.functionId });
    this.webhook = `/api/automations/functions/webhook/${token}`;
    const targetRef = (await this.functionMade('mails')).id;
    this.mailhook = await this.mailhookTo(targetRef);
    const switched = await this.mailhookTo(targetRef);
    const edited = await Promise.all(['one', 'two'].map((name) => this.functionMade(name)));
    const works = [
      () => this.accept(),
      () => this.accept(),
      ...edited.map(
        ({ id }) =>
          () =>
            this.edit(id),
      ),
      () => this.mail(),
      () => this.toggle(switched.id),
    ];
    this.done = Promise.all(works.map((work) => this.again(work)));
  }

  /** Stops sending, and waits for pending requests. */
  async end(): Promise<void> {
    this.going = false;
    await this.done;
  }

  get size(): number {
    return this.accepted.size + this.mails.size;
  }

  runs(): Promise<readonly Listed[]> {
    return this.pages('automations/listRuns', { functionId: this.functionId });
  }

  received(): Promise<readonly (Listed & { readonly subject: string; readonly runId: string | null })[]> {
    return this.pages('automations/listInboundEmails', { mailhookId: this.mailhook.id });
  }

  async describedDifferently(): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const [id, description] of this.descriptions) {
      const { description: now } = await this.right('automations/getFunction', { id });
      if (now !== description) wrong.push(`${id} is '${now}' and not '${description}'`);
    }
    return wrong;
  }

  private async pages<Item extends { readonly id: string }>(operation: string, of: object): Promise<readonly Item[]> {
    const all: Item[] = [];
    for (let before: string | undefined; ; before = all.at(-1)?.id) {
      const page = await this.right(operation, { ...of, limit: 100, ...(before === undefined ? {} : { before }) });
      all.push(...(page as readonly Item[]));
      if ((page as readonly Item[]).length === 0) return all;
    }
  }

  private async functionMade(name: string): Promise<{ readonly id: string }> {
    const fn = await this.right('automations/createFunction', { name, code: 'return 1' });
    await this.right('automations/updateFunction', { id: fn.id, isActive: true });
    return fn;
  }

  private mailhookTo(targetRef: string): Promise<{ readonly id: string; readonly address: string }> {
    return this.right('automations/createMailhook', { name: 'Orders', targetKind: 'account_function', targetRef });
  }

  private async again(work: () => Promise<void>): Promise<void> {
    while (this.going) {
      await work();
      await takes(50);
    }
  }

  private async accept(): Promise<void> {
    // A delivery whose response was lost is sent again under the same key, so it has one run.
    const headers = { prefer: 'respond-async', 'idempotency-key': `delivery-${this.made++}` };
    const { status, body } = await this.fleet.call(this.webhook, {}, headers);
    if (status !== 202) throw new Error(`A webhook answered ${status}: ${JSON.stringify(body)}`);
    this.accepted.add(body.runId as string);
  }

  private async edit(id: string): Promise<void> {
    const description = `change ${this.made++}`;
    await this.right('automations/updateFunction', { id, description });
    this.descriptions.set(id, description);
  }

  private async toggle(id: string): Promise<void> {
    await this.right('automations/updateMailhook', { id, isActive: false });
    await this.right('automations/updateMailhook', { id, isActive: true });
  }

  /** Like a real sender, sends a mail again if it was not accepted. */
  private async mail(): Promise<void> {
    const subject = `mail ${this.made++}`;
    for (let turn = 0; this.going; turn += 1) {
      const ports = this.fleet.mailServers;
      const port = ports[turn % Math.max(1, ports.length)];
      const raw = mailOf(['From: ada@example.com', `Subject: ${subject}`, `Message-ID: <${this.made++}@example.com>`]);
      const said = port === undefined ? '' : await deliver(port, this.mailhook.address, raw).catch(() => '');
      if (said.startsWith('250')) {
        this.mails.add(subject);
        return;
      }
      await takes(20);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  private async right(operation: string, body: object): Promise<any> {
    const headers = { authorization: `Bearer ${ownerKey}` };
    const reply = await this.fleet.call(`/api/v1/${operation}`, body, headers);
    if (reply.status !== 200) throw new Error(`${operation} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }
}
