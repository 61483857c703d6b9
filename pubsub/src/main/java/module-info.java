/** Topics with publishers and subscribers, on Fairlead's worker API. */
module io.fairlead.pubsub {
    requires transitive io.fairlead;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.fairlead.pubsub;
}
