/**
 * Whether a text is shaped like the ids that the service makes: `fn_` and 26 letters and digits. Wider than what is made,
 * so that nothing a reader would take for an id passes as a name.
 */
export const isIdForm = (text: string): boolean => /^\s*[a-z]{1,20}_[0-9a-z]{26}\s*$/i.test(text);
