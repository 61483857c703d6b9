/** Protobuf messages for typed services. */
module io.fairlead.codec.protobuf {
    requires transitive com.google.protobuf;
    requires transitive io.fairlead.services;
    requires static transitive org.jspecify;

    exports io.fairlead.codec.protobuf;
}
