import { Logger } from '@nestjs/common';
import { InProcessMessages } from '../../../src/adapters/messages/in-process/in-process-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { messagesContract } from './messages.contract.js';

// The tests reject messages on purpose, so the warnings are noise.
Logger.overrideLogger(false);

messagesContract('in-process', async () => {
  const messages = new InProcessMessages(new SystemClock());
  return { messages, againWithinMs: 3_000, close: () => messages.close(0) };
});

describe('messages: in-process, beyond the contract', () => {
  it('accepts a message only once while it waits', async () => {
    const messages = new InProcessMessages(new SystemClock());
    const one = { id: 'run_1', key: 'a', value: {} };
    await messages.publish('work', one);
    await messages.publish('work', one);
    expect(messages.waiting('work')).toBe(1);
    await messages.close(0);
  });
});
