import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { Messages, MessagesLoad } from '../../ports/messages.port.js';
import { messageMetrics } from './message-metrics.js';

it('shows waiting messages, the distribution of partitions and unacknowledged messages, with one query per scrape', async () => {
  let asked = 0;
  const loads: readonly MessagesLoad[] = [
    {
      topics: [
        { topic: 'run-requests', waiting: 3, busyKeys: 1, share: { all: 12, assigned: 5, paused: 1, rebalances: 2 } },
        {
          topic: 'inbound-mail',
          waiting: 0,
          busyKeys: 0,
          share: { all: undefined, assigned: 0, paused: 0, rebalances: 0 },
        },
      ],
      notAcknowledged: 4,
    },
    { topics: [{ topic: 'run-requests', waiting: 0, busyKeys: 0 }], notAcknowledged: 4 },
  ];
  const load = async () => loads[asked++];
  const registry = new Registry();
  messageMetrics(registry, { load } as unknown as Messages);
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
  expect(await lines()).toEqual([
    'countersign_messages_waiting{topic="run-requests"} 3',
    'countersign_messages_waiting{topic="inbound-mail"} 0',
    'countersign_busy_keys{topic="run-requests"} 1',
    'countersign_busy_keys{topic="inbound-mail"} 0',
    'countersign_messages_partitions{topic="run-requests",state="all"} 12',
    'countersign_messages_partitions{topic="run-requests",state="assigned"} 5',
    'countersign_messages_partitions{topic="run-requests",state="paused"} 1',
    'countersign_messages_partitions{topic="inbound-mail",state="assigned"} 0',
    'countersign_messages_partitions{topic="inbound-mail",state="paused"} 0',
    'countersign_messages_rebalances_total{topic="run-requests"} 2',
    'countersign_messages_rebalances_total{topic="inbound-mail"} 0',
    'countersign_messages_not_acknowledged_total 4',
  ]);
  expect(asked).toBe(1);
  expect(await lines()).toEqual([
    'countersign_messages_waiting{topic="run-requests"} 0',
    'countersign_busy_keys{topic="run-requests"} 0',
    'countersign_messages_not_acknowledged_total 4',
  ]);
});
