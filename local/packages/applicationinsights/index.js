// Azurite asks for a client only with telemetry.
module.exports = {};
