import {
  type AssistantAnswer,
  AssistantAnswerUnreadable,
  type AssistantMessage,
  type AssistantQuestion,
  type AssistantTool,
  type AssistantToolCall,
} from '../../../ports/network/assistant.port.js';

/** Omits the settings for length and temperature, because some servers refuse them. */
export function requestOf(model: string, { messages, tools = [] }: AssistantQuestion, json: boolean): string {
  return JSON.stringify({
    model,
    stream: false,
    messages: messages.map(sentMessage),
    ...(tools.length === 0 ? {} : { tools: tools.map(sentTool) }),
    ...(json ? { response_format: { type: 'json_object' } } : {}),
  });
}

function sentMessage(message: AssistantMessage): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      return { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(sentCall) }) };
    }
  }
}

const sentTool = (tool: AssistantTool) => ({ type: 'function', function: tool });

const sentCall = ({ id, name, arguments: text }: AssistantToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

/** @throws AssistantAnswerUnreadable */
export function assistantAnswerOf(text: string): AssistantAnswer {
  const choice = first(member(parsed(text), 'choices'));
  const message = member(choice, 'message');
  const content = member(message, 'content') ?? '';
  const calls = member(message, 'tool_calls') ?? [];
  if (message === undefined || typeof content !== 'string' || !Array.isArray(calls)) return unreadable();
  return { content, toolCalls: calls.map(contextOf), cut: member(choice, 'finish_reason') === 'length' };
}

function contextOf(call: unknown): AssistantToolCall {
  const [id, name] = [member(call, 'id'), member(member(call, 'function'), 'name')];
  const given = member(member(call, 'function'), 'arguments') ?? '{}';
  if (typeof id !== 'string' || typeof name !== 'string') return unreadable();
  // Some servers send the arguments as an object instead of as JSON text.
  return { id, name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unreadable();
  }
}

const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function unreadable(): never {
  throw new AssistantAnswerUnreadable("The assistant's response is not a chat completion.");
}
