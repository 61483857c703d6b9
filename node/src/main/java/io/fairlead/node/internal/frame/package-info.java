/** What nodes send each other beside the application's messages, and its layout. */
@NullMarked
package io.fairlead.node.internal.frame;

import org.jspecify.annotations.NullMarked;
