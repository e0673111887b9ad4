/**
 * Whether a text looks like an id of the service, such as `fn_` followed by 26 letters and digits. Accepts more than
 * the ids that are generated, so that no text that a reader would mistake for an id can be used as a name.
 */
export const isIdForm = (text: string): boolean => /^\s*[a-z]{1,20}_[0-9a-z]{26}\s*$/i.test(text);
