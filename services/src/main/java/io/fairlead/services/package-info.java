/** Services as Java interfaces: their methods are requests of nodes, whose arguments and results a codec turns into bytes. */
@NullMarked
package io.fairlead.services;

import org.jspecify.annotations.NullMarked;
