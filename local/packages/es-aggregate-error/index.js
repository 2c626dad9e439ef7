module.exports = AggregateError;
