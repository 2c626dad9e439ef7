exports.schemas = {};
