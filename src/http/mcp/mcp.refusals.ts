import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const mcpRefusals = {
  'mcp-origin-refused': refusal(
    'forbidden',
    () => 'Pages of other origins may not use this endpoint; connect with an MCP client that is not a web page.',
  ),
  'mcp-session-not-found': refusal(
    'not-found',
    () => 'This key has no such session; initialize again, without Mcp-Session-Id.',
  ),
  'mcp-batch-too-large': invalid(
    '',
    (about: { most: number }) =>
      `A request may contain at most ${about.most} messages; send the others in another request.`,
  ),
  'mcp-message-invalid': invalid(
    '',
    () =>
      'The body must be a JSON-RPC 2.0 message, or several with different ids; initialize must be the only message.',
  ),
  'mcp-version-unknown': invalid(
    'MCP-Protocol-Version',
    (about: { versions: string }) =>
      `This version of the protocol is not supported; the supported versions are: ${about.versions}.`,
  ),
  'mcp-accept-both': invalid(
    'Accept',
    () => 'The header Accept must include both application/json and text/event-stream.',
  ),
  'mcp-tool-not-found': refusal(
    'not-found',
    (about: { tool: string }) => `There is no tool '${about.tool}' for this key; tools/list lists the tools.`,
  ),
  'mcp-call-cancelled': refusal(
    'conflict',
    () => 'The call was cancelled; the changes that it had already made remain.',
  ),
  'mcp-resource-not-found': refusal(
    'not-found',
    (about: { uri: string }) => `There is no resource ${about.uri}; resources/list lists the resources.`,
  ),
  'mcp-prompt-not-found': refusal(
    'not-found',
    (about: { prompt: string }) => `There is no prompt '${about.prompt}'; prompts/list lists the prompts.`,
  ),
  'mcp-prompt-incomplete': invalid(
    'description',
    (about: { longest: number }) => `The prompt requires a description of 1 to ${about.longest} characters.`,
  ),
  'oauth-rate': refusal(
    'limited',
    () => 'Your address makes more registrations and token requests than allowed; try again in a minute.',
  ),
  'oauth-client-unknown': refusal(
    'not-found',
    () => 'This client is not registered here; connect it again, so that it registers.',
  ),
  'oauth-redirect-unknown': refusal(
    'forbidden',
    () => 'The client asked to continue at an address that it did not register; connect it again.',
  ),
  'oauth-request-invalid': invalid(
    'request',
    (about: { what: string }) =>
      `The client's request is not supported: ${about.what}. Use another client, or another version of it.`,
  ),
  'oauth-nothing-given': invalid(
    'area',
    () => 'Choose at least one area in which the client may work, or choose Deny.',
  ),
  'oauth-person-only': refusal(
    'forbidden',
    () => 'Only a person can allow a client access; sign in with a key of your own.',
  ),
};
