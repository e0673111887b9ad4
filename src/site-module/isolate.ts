/**
 * React's renderer asks for these where it is loaded, and renderToString uses none of them. It is imported first, because
 * an isolate has no more than the language.
 */
const globals = globalThis as { MessageChannel?: unknown; TextEncoder?: unknown };
globals.MessageChannel ??= class {
  port1 = {};
  port2 = { postMessage() {} };
};
globals.TextEncoder ??= class {
  encode = () => new Uint8Array();
};
