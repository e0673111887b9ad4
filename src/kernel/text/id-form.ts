/**
 * Whether a text looks like an id of the service, such as `fn_` followed by 26 letters and digits. Ignores case and
 * surrounding spaces, so that names that readers would mistake for ids can be refused.
 */
export const isIdForm = (text: string): boolean => /^\s*[a-z]{1,20}_[0-9a-z]{26}\s*$/i.test(text);
