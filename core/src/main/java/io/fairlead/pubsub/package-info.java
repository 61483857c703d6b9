/** Named topics with flow control and gap detection, on the public API alone. */
@NullMarked
package io.fairlead.pubsub;

import org.jspecify.annotations.NullMarked;
