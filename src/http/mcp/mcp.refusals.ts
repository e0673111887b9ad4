import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

/** Refusals in the MCP endpoint and in the authorisation of AI clients. */
export const mcpRefusals = {
  'mcp-origin-refused': refusal(
    'forbidden',
    () => 'Pages of other origins may not use this endpoint; connect with an MCP client that is no web page.',
  ),
  'mcp-session-not-found': refusal(
    'not-found',
    () => 'There is no such session of this key; initialize again, without Mcp-Session-Id.',
  ),
  'mcp-batch-too-large': invalid(
    '',
    (about: { most: number }) => `A request holds ${about.most} messages at most; send the others after it.`,
  ),
  'mcp-message-invalid': invalid(
    '',
    () => 'The body has to be a message of JSON-RPC 2.0, or several with ids of their own; initialize comes alone.',
  ),
  'mcp-version-unknown': invalid(
    'MCP-Protocol-Version',
    (about: { versions: string }) => `This version of the protocol is not spoken here; these are: ${about.versions}.`,
  ),
  'mcp-accept-both': invalid(
    'Accept',
    () => 'The header Accept has to name both application/json and text/event-stream.',
  ),
  'mcp-tool-not-found': refusal(
    'not-found',
    (about: { tool: string }) => `There is no tool '${about.tool}' for this key; tools/list shows those there are.`,
  ),
  'mcp-call-cancelled': refusal('conflict', () => 'The call was cancelled; what it had done by then stays done.'),
  'mcp-resource-not-found': refusal(
    'not-found',
    (about: { uri: string }) => `There is no resource ${about.uri}; resources/list shows those there are.`,
  ),
  'mcp-prompt-not-found': refusal(
    'not-found',
    (about: { prompt: string }) => `There is no prompt '${about.prompt}'; prompts/list shows those there are.`,
  ),
  'mcp-prompt-incomplete': invalid(
    'description',
    (about: { longest: number }) => `The prompt needs a description of 1 to ${about.longest} characters; send one.`,
  ),
  'oauth-rate': refusal(
    'limited',
    () => 'Your address asks for more registrations and tokens than it may; wait a minute, and ask again.',
  ),
  'oauth-client-unknown': refusal(
    'not-found',
    () => 'This client is not registered here; have it connect anew, so that it registers.',
  ),
  'oauth-redirect-unknown': refusal(
    'forbidden',
    () => 'The client wants to go on at an address that it did not register; have it connect anew.',
  ),
  'oauth-request-invalid': invalid(
    'request',
    (about: { what: string }) =>
      `The client asks in a way that is not served: ${about.what}. Use another client, or another version of it.`,
  ),
  'oauth-nothing-given': invalid('area', () => 'Choose at least one place where the client may work, or say no.'),
  'oauth-person-only': refusal('forbidden', () => 'Only a person lets a client in; sign in with a key of your own.'),
};
