import { afterEach, expect, it } from '@jest/globals';
import { InProcessMessages } from '../../../src/adapters/messages/in-process/in-process-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { type Consumer, type Consumption, type Message, Messages } from '../../../src/ports/messages.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

/** Like unreachable brokers: no consumer begins until the service has requested all of them. */
class SlowToBegin extends Messages {
  override readonly durable = true;
  readonly asked = new Set<string>();
  private readonly inner = new InProcessMessages(new SystemClock());
  override readonly here = this.inner;

  override async consume(consumer: Consumer): Promise<Consumption> {
    this.asked.add(consumer.topic);
    await eventually(
      async () => [...this.asked].sort(),
      (topics) => topics.length === 6,
    );
    return this.inner.consume(consumer);
  }
  override belongTo = () => this.inner.belongTo();
  override publish = (topic: string, message: Message) => this.inner.publish(topic, message);
  override waiting = (topic: string) => this.inner.waiting(topic);
  override load = () => this.inner.load();
  override check = () => this.inner.check();
  override close = (graceMs: number) => this.inner.close(graceMs);
}

let app: TestApp;
afterEach(() => app?.close());

it('begins to consume all topics at once, so that unreachable brokers cost one timeout only', async () => {
  const messages = new SlowToBegin();
  app = await startApp({ replacements: [{ provide: Messages, useValue: messages }] });
  expect([...messages.asked].sort()).toEqual([
    'agent-steps',
    'flow-steps',
    'inbound-mail',
    'run-requests',
    'site-mail',
    'site-publishes',
  ]);
  expect((await app.send('GET', '/readyz')).status).toBe(200);
}, 60_000);
