/** Whether tests run to catch a mutant: of these it is enough to know that one fails. */
export const isImpatient = process.env['IMPATIENT'] === '1';
