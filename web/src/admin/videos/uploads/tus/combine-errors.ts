/** What tus-js-client asks of the package `combine-errors`: every browser has it. */
export default (errors: Error[]) => new AggregateError(errors);
