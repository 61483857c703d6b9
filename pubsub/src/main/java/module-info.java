/** Topics with publishers and subscribers, on Fairlead's worker API and on nodes. */
module io.fairlead.pubsub {
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires static transitive com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.fairlead.pubsub;
}
