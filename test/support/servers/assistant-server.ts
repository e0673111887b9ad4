import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every form.
  readonly body: any;
}

/** Responds to one request. It may leave the response open. */
export type Play = (response: ServerResponse, asked: Asked) => void;

export interface AssistantServer {
  /** Value for ASSISTANT_URL. */
  readonly url: string;
  /** All requests since the last call of `plays`. */
  readonly asked: readonly Asked[];
  /** Sets the responses from now on, one for each request. The last one is repeated. */
  plays(...plays: readonly [Play, ...Play[]]): void;
  close(): Promise<void>;
}

/** Starts a server that supports the chat-completions protocol, with responses that the test sets. */
export async function startAssistantServer(): Promise<AssistantServer> {
  let asked: Asked[] = [];
  let toPlay: readonly Play[] = [status(500)];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString('utf8');
    const one = { path: request.url ?? '', headers: request.headers, body: text === '' ? undefined : JSON.parse(text) };
    const play = toPlay[Math.min(asked.length, toPlay.length - 1)] ?? status(500);
    asked.push(one);
    play(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get asked() {
      return asked;
    },
    plays(...plays) {
      asked = [];
      toPlay = plays;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = '{"error":{"message":"no"}}'): Play =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);
  };

/** Responds with any text and the status 200. */
export const sends = (text: string, type = 'application/json'): Play => status(200, { 'content-type': type }, text);

/** Responds with a complete chat completion. */
export const completes = (message: object, finish = 'stop'): Play =>
  sends(JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] }));

/** Responds with text of the model. */
export const writes = (content: string, finish = 'stop'): Play => completes({ role: 'assistant', content }, finish);

/**
 * Responds with the model's calls of tools: the name of each tool, and its arguments as an object or as text of the
 * model.
 */
export const callsTools = (...calls: readonly (readonly [tool: string, args?: object | string])[]): Play =>
  completes(
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(([name, args = {}], index) => ({
        id: `model_${index}`,
        type: 'function',
        function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
      })),
    },
    'tool_calls',
  );

/** Responds with a proposal of code, in the form that the service requests. */
export const proposes = (code: string, reply = 'Done.'): Play => writes(JSON.stringify({ reply, code }));

/** Never responds. */
export const staysSilent: Play = () => undefined;

/** Breaks the connection. */
export const hangsUp: Play = (response) => void response.destroy();

/** Responds with data that never ends. */
export const sendsForEver: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more);
  more();
};
