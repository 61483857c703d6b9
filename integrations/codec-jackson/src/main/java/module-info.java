/** JSON for typed services, by Jackson. */
module io.fairlead.codec.jackson {
    requires transitive io.fairlead.services;
    requires static transitive org.jspecify;
    requires transitive tools.jackson.databind;

    exports io.fairlead.codec.jackson;
}
