// Azurite derives classes from this when it loads.
exports.Model = function Model() {};
