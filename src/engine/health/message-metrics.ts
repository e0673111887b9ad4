import { Counter, Gauge, type Registry } from 'prom-client';
import type { Messages, MessagesLoad } from '../../ports/messages.port.js';

export function messageMetrics(registry: Registry, messages: Messages): void {
  const registers = [registry];
  let pending: Promise<MessagesLoad> | undefined;
  // All gauges of a scrape share one request, because they are read concurrently and a request may query the brokers.
  const load = () => {
    pending ??= messages.load().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  new Gauge({
    name: 'countersign_messages_waiting',
    help: 'Published messages that are not yet processed, by topic. On Kafka: only those of partitions of this process; of busy keys, only those in memory.',
    labelNames: ['topic'],
    registers,
    async collect() {
      const { topics } = await load();
      this.reset();
      for (const { topic, waiting } of topics) this.set({ topic }, waiting);
    },
  });
  new Gauge({
    name: 'countersign_busy_keys',
    help: 'Functions, mailhooks or sites of this process with more queued work than fits in memory; the rest is looked up later.',
    labelNames: ['topic'],
    registers,
    async collect() {
      const { topics } = await load();
      this.reset();
      for (const { topic, busyKeys } of topics) this.set({ topic }, busyKeys);
    },
  });
  new Gauge({
    name: 'countersign_messages_partitions',
    help: 'Partitions of a topic on Kafka, by state: all, assigned to this process, and paused (of the assigned ones).',
    labelNames: ['topic', 'state'],
    registers,
    async collect() {
      const { topics } = await load();
      this.reset();
      for (const { topic, share } of topics) {
        if (share === undefined) continue;
        if (share.all !== undefined) this.set({ topic, state: 'all' }, share.all);
        this.set({ topic, state: 'assigned' }, share.assigned);
        this.set({ topic, state: 'paused' }, share.paused);
      }
    },
  });
  new Counter({
    name: 'countersign_messages_rebalances_total',
    help: 'How often Kafka assigned partitions of a topic to this process.',
    labelNames: ['topic'],
    registers,
    async collect() {
      const { topics } = await load();
      this.reset();
      for (const { topic, share } of topics) if (share !== undefined) this.inc({ topic }, share.rebalances);
    },
  });
  new Counter({
    name: 'countersign_messages_not_acknowledged_total',
    help: 'Publications that Kafka did not acknowledge in time, or refused. The work is published again.',
    registers,
    async collect() {
      const { notAcknowledged } = await load();
      this.reset();
      this.inc(notAcknowledged);
    },
  });
}
