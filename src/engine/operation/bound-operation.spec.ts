import { expect, it } from '@jest/globals';
import type { ICommandHandler } from '@nestjs/cqrs';
import { Field } from '../../kernel/field/field.js';
import { command } from './bound-operation.js';
import type { OperationName } from './operation.js';
import { bindContext, type OperationContext } from './operation-context.js';
import { PendingApproval } from './pending-approval.js';

class Door {
  @Field({ type: 'string' }) id!: string;
}

class WaitingDoor extends Door {
  @Field({ type: 'string' }) name!: string;
}

const record = { id: 'd', name: 'Gate', workspaceId: 'ws' };
const card = { pendingChange: { id: 'card' }, approveLink: '/card' };

async function answered(name: string, answer: object, waiting?: typeof WaitingDoor): Promise<unknown> {
  const Handler = command(`declared/${name}` as OperationName, {
    summary: 'Opens a door.',
    source: 'a spec',
    group: 'doors',
    permission: 'functions.edit',
    tools: 'never',
    gated: true,
    answers: { record: Door },
    ...(waiting && { waiting: { record: waiting } }),
    input: {},
    handle: async () => answer,
  });
  const message = {};
  bindContext({} as OperationContext, message);
  const handler = new Handler() as ICommandHandler;
  const given = await handler.execute(message);
  return given instanceof PendingApproval ? given.body : given;
}

it('an operation answers the fields that it declares, and no other of the record', async () => {
  expect(await answered('opens', record)).toEqual({ id: 'd' });
});

it('what waits for a person is answered beside the card, limited to what the operation declares', async () => {
  expect(await answered('waits', new PendingApproval(card, record))).toEqual({ id: 'd', ...card });
  const whole = await answered('waitsWhole', new PendingApproval(card, record), WaitingDoor);
  expect(whole).toEqual({ id: 'd', name: 'Gate', ...card });
});
