import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OpenAiAssistant } from '../../../src/adapters/assistant/openai/openai-assistant.adapter.js';
import {
  AssistantAnswerUnreadable,
  type AssistantQuestion,
  AssistantRefused,
  AssistantUnavailable,
} from '../../../src/ports/network/assistant.port.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import {
  type AssistantServer,
  completes,
  hangsUp,
  type Play,
  sends,
  sendsForEver,
  startAssistantServer,
  status,
  staysSilent,
  writes,
} from '../../support/servers/assistant-server.js';

const key = 'sk-secret-key-of-the-operator';
const deadlineMs = 60_000;
const question: AssistantQuestion = { messages: [{ role: 'user', content: 'private words' }], deadlineMs };

let server: AssistantServer;
let clock: MadeUpClock;
let assistant: OpenAiAssistant;
beforeAll(async () => {
  server = await startAssistantServer();
});
afterAll(() => server.close());
beforeEach(() => {
  clock = new MadeUpClock();
  assistant = new OpenAiAssistant({ url: server.url, key, model: 'model-1', clock });
});

const waiting = (ms: number) =>
  eventually(
    async () => clock.waits,
    (waits) => waits.includes(ms),
  );

/** Moves the clock on once the pause has begun. */
async function answerAfterPause(pauseMs: number, asking: Promise<unknown>, ms = pauseMs) {
  await waiting(pauseMs);
  clock.advance(ms);
  return asking;
}

const failure = async (play: Play, options: Partial<AssistantQuestion> = {}) => {
  server.plays(play);
  return assistant.ask({ ...question, ...options }).then(
    () => undefined,
    (error: unknown) => error,
  );
};

describe('a question', () => {
  it('is sent to chat/completions below the address, with key, model and no streaming', async () => {
    server.plays(writes('Hello.'));
    expect(await assistant.ask(question)).toEqual({ content: 'Hello.', toolCalls: [], cut: false });
    expect(server.asked).toHaveLength(1);
    const [{ path, headers, body }] = server.asked as [(typeof server.asked)[number]];
    expect({ path, authorization: headers.authorization, type: headers['content-type'] }).toEqual({
      path: '/v1/chat/completions',
      authorization: `Bearer ${key}`,
      type: 'application/json',
    });
    expect(body).toEqual({ model: 'model-1', stream: false, messages: question.messages });
  });

  it.each([
    ['/', '/v1/chat/completions'],
    ['?api-version=2', '/v1/chat/completions?api-version=2'],
  ])('with %j after the address is sent to %s', async (end, path) => {
    server.plays(writes('Hello.'));
    await new OpenAiAssistant({ url: `${server.url}${end}`, key, model: 'm', clock }).ask(question);
    expect(server.asked[0]?.path).toBe(path);
  });

  it('is sent without authorization if there is no key', async () => {
    server.plays(writes('Hello.'));
    await new OpenAiAssistant({ url: server.url, key: undefined, model: 'm', clock }).ask(question);
    expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it('contains tools, calls and their results, and returns new calls', async () => {
    const call = { id: 'call_1', name: 'add', arguments: '{"a":1}' };
    const sent = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
    const asObject = { ...sent, id: 'call_2', function: { name: 'add', arguments: { a: 2 } } };
    server.plays(completes({ role: 'assistant', content: null, tool_calls: [sent, asObject] }, 'tool_calls'));
    const tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } };
    const answer = await assistant.ask({
      messages: [
        { role: 'system', content: 's' },
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', toolCallId: 'call_1', content: '3' },
      ],
      tools: [tool],
      deadlineMs,
    });
    expect(answer).toEqual({
      content: '',
      toolCalls: [call, { id: 'call_2', name: 'add', arguments: '{"a":2}' }],
      cut: false,
    });
    expect(server.asked[0]?.body).toMatchObject({
      tools: [{ type: 'function', function: tool }],
      messages: [
        { role: 'system', content: 's' },
        { role: 'assistant', content: '', tool_calls: [sent] },
        { role: 'tool', tool_call_id: 'call_1', content: '3' },
      ],
    });
  });

  it('is sent to the model that it names', async () => {
    server.plays(writes('x'));
    await assistant.ask({ ...question, model: 'model-2' });
    expect(server.asked[0]?.body.model).toBe('model-2');
  });

  it('hides its key in every answer', async () => {
    const call = { id: key, type: 'function', function: { name: key, arguments: JSON.stringify({ key }) } };
    const base64 = Buffer.from(key).toString('base64');
    server.plays(completes({ role: 'assistant', content: `${key} ${base64}`, tool_calls: [call] }));
    const answer = await assistant.ask(question);
    expect(answer).toEqual({
      content: '*** ***',
      toolCalls: [{ id: '***', name: '***', arguments: '{"key":"***"}' }],
      cut: false,
    });
  });

  it('reports that the model reached its length limit', async () => {
    server.plays(writes('Once upon', 'length'));
    expect(await assistant.ask(question)).toMatchObject({ content: 'Once upon', cut: true });
  });
});

describe('asking for JSON', () => {
  const json = { ...question, json: true };
  const format = { response_format: { type: 'json_object' } };

  it('is declared to the server', async () => {
    server.plays(writes('{}'));
    await assistant.ask(json);
    expect(server.asked[0]?.body).toMatchObject(format);
  });

  it.each([400, 422])('is left out for a server that refuses it with %d, from then on', async (code) => {
    server.plays(status(code), writes('{}'));
    expect(await assistant.ask(json)).toMatchObject({ content: '{}' });
    await assistant.ask(json);
    expect(server.asked.map(({ body }) => 'response_format' in body)).toEqual([true, false, false]);
  });

  it('continues after the server refused something else', async () => {
    expect(await failure(status(400), { json: true })).toBeInstanceOf(AssistantRefused);
    expect(server.asked).toHaveLength(2);
    server.plays(writes('{}'));
    await assistant.ask(json);
    expect(server.asked[0]?.body).toMatchObject(format);
  });
});

describe('a server that is busy', () => {
  it.each([429, 503])('with %d is asked once more after the time that it names', async (code) => {
    server.plays(status(code, { 'retry-after': '3' }), writes('Hello.'));
    const asking = assistant.ask(question);
    await waiting(3_000);
    clock.advance(2_999);
    expect([clock.waits.includes(1), server.asked.length]).toEqual([true, 1]);
    clock.advance(1);
    expect(await asking).toMatchObject({ content: 'Hello.' });
  });

  it('is asked only once more, after a second, if it names no time', async () => {
    server.plays(status(429));
    const asking = assistant.ask(question).catch((error: unknown) => error);
    expect(await answerAfterPause(1_000, asking)).toBeInstanceOf(AssistantUnavailable);
    expect(server.asked).toHaveLength(2);
  });

  it('is not asked again if the wait would be long, which the error states', async () => {
    expect(await failure(status(429, { 'retry-after': '11' }))).toMatchObject({ retryAfterSeconds: 11 });
    const date = new Date(clock.now() + 60_000).toUTCString();
    expect(await failure(status(503, { 'retry-after': date }))).toMatchObject({ retryAfterSeconds: 60 });
    expect(server.asked).toHaveLength(1);
  });

  it('is asked again only within the deadline', async () => {
    server.plays(status(429, { 'retry-after': '9' }));
    const asking = assistant.ask({ ...question, deadlineMs: 5_000 }).catch((error: unknown) => error);
    expect(await answerAfterPause(9_000, asking, 5_000)).toBeInstanceOf(AssistantUnavailable);
    expect(server.asked).toHaveLength(1);
  });
});

describe('a failure', () => {
  it.each([
    [500, AssistantUnavailable],
    [502, AssistantUnavailable],
    [408, AssistantUnavailable],
    [400, AssistantRefused],
    [401, AssistantRefused],
    [403, AssistantRefused],
    [404, AssistantRefused],
    [413, AssistantRefused],
  ])('with status %d is %p, without a repetition', async (code, kind) => {
    expect(await failure(status(code))).toBeInstanceOf(kind);
    expect(server.asked).toHaveLength(1);
  });

  it('of a server that hangs up is `unavailable`', async () => {
    expect(await failure(hangsUp)).toBeInstanceOf(AssistantUnavailable);
  });

  it('of an address without a listener is `unavailable`, and the error does not contain it', async () => {
    const closed = await startAssistantServer();
    await closed.close();
    const nobody = new OpenAiAssistant({ url: closed.url, key, model: 'm', clock });
    const error = await nobody.ask(question).catch((reason: unknown) => reason);
    expect(error).toEqual(new AssistantUnavailable('The assistant cannot be reached (ECONNREFUSED).'));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(new URL(closed.url).port);
  });

  it.each([
    ['says nothing', staysSilent],
    ['stops in the middle', ((response) => void response.writeHead(200).write('{"choices"')) as Play],
  ])('of a server that %s is `unavailable` at the deadline', async (_, play) => {
    server.plays(play);
    const asking = assistant.ask(question).catch((error: unknown) => error);
    await eventually(
      async () => server.asked.length,
      (length) => length === 1,
    );
    clock.advance(deadlineMs - 1);
    expect(clock.waits).toEqual([1]);
    clock.advance(1);
    expect(await asking).toBeInstanceOf(AssistantUnavailable);
  });

  it('of an endless answer ends the connection', async () => {
    expect(await failure(sendsForEver)).toBeInstanceOf(AssistantAnswerUnreadable);
  });

  it.each([
    ['nothing', ''],
    ['broken JSON', '{"choices": [{"message": {"content": "a'],
    ['a page', '<html></html>'],
    ['a stream, which was not asked for', 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'],
    ['null', 'null'],
    ['no choice', '{"choices": []}'],
    ['a choice without a message', '{"choices": [{}]}'],
    ['a content that is no text', '{"choices": [{"message": {"content": {"a": 1}}}]}'],
    ['calls that are no list', '{"choices": [{"message": {"content": "a", "tool_calls": "b"}}]}'],
    ['a call without a name', '{"choices": [{"message": {"content": "a", "tool_calls": [{"id": "b"}]}}]}'],
  ])('with %s is not an answer', async (_, text) => {
    expect(await failure(sends(text))).toBeInstanceOf(AssistantAnswerUnreadable);
  });

  it('with a redirect is not followed, so the key stays at the configured host', async () => {
    const elsewhere = await startAssistantServer();
    elsewhere.plays(writes('Hello.'));
    const error = await failure(status(307, { location: `${elsewhere.url}/chat/completions` }));
    expect(error).toBeInstanceOf(AssistantRefused);
    expect(elsewhere.asked).toHaveLength(0);
    await elsewhere.close();
  });

  it.each([
    status(401, {}, `{"error":"Incorrect API key ${key}"}`),
    status(500, {}, 'private words'),
    sends('private words'),
    hangsUp,
  ])('is one sentence without the key, the address or the prompt (%#)', async (play) => {
    const error = await failure(play);
    const shown = inspect(error, { depth: 10, showHidden: true });
    for (const secret of [key, 'private words', new URL(server.url).port]) expect(shown).not.toContain(secret);
    expect((error as Error).message).toMatch(/^The assistant[^\n]+\.$/);
  });
});
